/** Shows a document of the mock with Swagger UI. Requests of the page go to the session of its address. */
{
  const wanted = new URLSearchParams(location.search).get('document') ?? 'contract';
  const place = document.getElementById('document');
  for (const link of document.querySelectorAll('nav a'))
    if (link.id === wanted) link.setAttribute('aria-current', 'page');

  const show = async () => {
    // Swagger UI resolves all of an OpenAPI 3.1 document before it shows it, which takes several seconds.
    const response = await fetch(wanted === 'control' ? 'openapi.json' : '../openapi-3.0.json');
    if (!response.ok) throw new Error(`The mock returned the status ${response.status}.`);
    const described = await response.json();
    // The document has the address of a mock in general.
    described.servers = [{ url: new URL('..', location.href).href.replace(/\/$/, '') }];
    document.title = `${described.info.title} ${described.info.version}`;
    SwaggerUIBundle({
      domNode: place,
      spec: described,
      deepLinking: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      filter: true,
      // The validator is on another host.
      validatorUrl: null,
    });
  };
  show().catch((error) => {
    place.textContent = `The document can't be shown: ${error.message} Start the mock, and reload the page.`;
  });
}
