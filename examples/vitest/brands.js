/** What an app does: it knows the address of the API, and nothing of the mock. */
export function createBrands(address) {
  const url = `${address}/api/model/brand`;
  return {
    async names() {
      const response = await fetch(url);
      if (!response.ok) throw new Error(`The brands can't be shown now (${response.status}).`);
      return (await response.json()).map(({ name }) => name);
    },
    async add(name) {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ name }) });
      if (!response.ok) throw new Error((await response.json()).detail);
    },
  };
}
