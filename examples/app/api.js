/** The requests of the app. They depend only on the address of the API, not on the mock. */
export function createApi(address = '') {
  return {
    login: (user, password) => post('/api/login', { user, password }),
    add: (values) => post('/api/model/crmContact', values),
    async search(text) {
      const query = new URLSearchParams({ limit: '10', sort: 'name' });
      if (text) query.set('name[contains]', text);
      const response = await ask(`/api/model/crmContact?${query}`);
      return { contacts: await response.json(), total: Number(response.headers.get('x-total-count')) };
    },
  };

  async function post(path, values) {
    const headers = { 'content-type': 'application/json' };
    return (await ask(path, { method: 'POST', headers, body: JSON.stringify(values) })).json();
  }

  async function ask(path, options) {
    const response = await fetch(address + path, options);
    if (response.ok) return response;
    const { detail, violations = [] } = await response.json();
    // A violation of the query has a parameter, not a pointer.
    const fields = violations.flatMap(({ pointer, message }) =>
      pointer ? [[pointer.slice(1), message]] : [],
    );
    throw Object.assign(new Error(detail), { fields: Object.fromEntries(fields) });
  }
}
