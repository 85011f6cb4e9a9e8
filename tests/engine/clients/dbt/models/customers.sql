{{ config(materialized='table', engine='MergeTree()', order_by='customer') }}
SELECT customer, count() AS orders, max(day) AS latest FROM {{ ref('orders') }} GROUP BY customer
