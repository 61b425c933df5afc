import { createApi } from './api.js';

const api = createApi();
const search = document.querySelector('[type=search]');
const status = document.querySelector('[role=status]');

async function show() {
  const { contacts, total } = await api.search(search.value);
  document.querySelector('#total').textContent = `${total} found`;
  document
    .querySelector('ul')
    .replaceChildren(
      ...contacts.map(({ name }) => Object.assign(document.createElement('li'), { textContent: name })),
    );
}

/** Runs an action, and shows its errors: next to each field, or else in the status. */
async function run(action) {
  for (const place of document.querySelectorAll('[data-field]')) place.textContent = '';
  try {
    status.textContent = (await action()) ?? '';
  } catch (error) {
    for (const [name, message] of Object.entries(error.fields ?? {}))
      document.querySelector(`[data-field=${name}]`).textContent = message;
    status.textContent = error.message;
  }
}

/** Calls a function with the values of a form when it is sent. */
function onSubmit(id, action) {
  document.querySelector(id).addEventListener('submit', (event) => {
    event.preventDefault();
    run(() => action(Object.fromEntries(new FormData(event.target))));
  });
}

search.addEventListener('input', () => run(show));
onSubmit('#login', async ({ user, password }) => {
  const { user: name } = await api.login(user, password);
  document.querySelector('#login').replaceWith(`Logged in as ${name}`);
});
onSubmit('#add', async ({ name, email }) => {
  await api.add({ name, ...(email && { email }) });
  await show();
  return 'Added';
});
run(show);
