{{ config(materialized='view') }}
SELECT day, count() AS orders, sum(amount) AS amount FROM {{ ref('orders') }} GROUP BY day
