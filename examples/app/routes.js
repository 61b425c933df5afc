/** The endpoints of the app that are not part of the API. */
export const routes = {
  'POST /api/login': async (request) => {
    const { user, password } = await request.json();
    if (password === 'secret') return Response.json({ user });
    return Response.json({ detail: 'The password is wrong.' }, { status: 401 });
  },
};
