// The operations, as contract faults name them.

export const LIST = 'GET /pets'
export const ONE = 'GET /pets/*'
export const CREATE = 'POST /pets'
export const PETS = `${LIST}|${ONE}|${CREATE}`
export const ORDERS = 'GET /store/orders'
export const ORDER = 'GET /store/orders/*'
export const PLACE = 'POST /store/orders'
export const COMPLETE = 'POST /store/orders/*/complete'
export const CANCEL = 'DELETE /store/orders/*'
export const RETURN = 'POST /store/orders/*/return'
export const UPDATE = 'PATCH /pets/*'
export const DELETE = 'DELETE /pets/*'
export const CHANGE = 'PATCH /store/orders/*'
export const EVENTS = 'GET /store/events'
export const INVENTORY = 'GET /store/inventory'
