const list = document.querySelector('ul');
const status = document.querySelector('[role=status]');

async function ask(path, options) {
  const response = await fetch(path, options);
  const body = await response.json();
  if (!response.ok) throw new Error(body.detail);
  return body;
}

async function show() {
  const brands = await ask('/api/model/brand');
  list.replaceChildren(
    ...brands.map(({ name }) => {
      const item = document.createElement('li');
      item.textContent = name;
      return item;
    }),
  );
}

document.querySelector('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const name = new FormData(event.target).get('name');
  const body = JSON.stringify(name === '' ? {} : { name });
  try {
    await ask('/api/model/brand', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    status.textContent = 'Added';
    await show();
  } catch (error) {
    status.textContent = error.message;
  }
});

show().catch((error) => {
  status.textContent = error.message;
});
