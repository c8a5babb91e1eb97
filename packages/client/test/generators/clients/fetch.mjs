// fetch without error handling.
export default function connect(to) {
  return requests(sendTo(to))
}

export function sendTo({ baseUrl, apiKey }) {
  return async (path, { method = 'GET', body } = {}) => {
    const answer = await fetch(baseUrl + path, {
      method,
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      body: body && JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${answer.status}`)
    return answer.json()
  }
}

/** Makes the client from a function that sends one request and resolves with its JSON. */
export function requests(send) {
  return {
    pets: (query = {}) => send(`/pets?${new URLSearchParams(query)}`),
    add: (body) => send('/pets', { method: 'POST', body }),
    pet: (id) => send(`/pets/${id}`),
    inventory: () => send('/store/inventory'),
    order: (petId) => send('/store/orders', { method: 'POST', body: { petId } }),
    async sell(id) {
      await send(`/store/orders/${id}`)
      return send(`/store/orders/${id}/complete`, { method: 'POST' })
    },
    events: () => send('/store/events'),
  }
}
