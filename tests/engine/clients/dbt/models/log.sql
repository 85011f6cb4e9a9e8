{{ config(materialized='incremental', engine='MergeTree()', order_by='id', unique_key='id', incremental_strategy='append') }}
SELECT id, customer, amount FROM {{ ref('orders') }}
{% if is_incremental() %} WHERE id > (SELECT max(id) FROM {{ this }}) {% endif %}
