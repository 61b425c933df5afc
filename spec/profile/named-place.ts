/** A place that a setting names: a header, a query parameter, or a member of the body. */
type NamedPlace = { readonly in: 'header' | 'query' | 'body'; readonly name: string };

/** Returns the place in `header X-Total-Count`, `query version`, or `/total`; undefined for a word such as `none`. */
export function placeIn(value: string): NamedPlace | undefined {
  if (value.startsWith('/')) return { in: 'body', name: value };
  const [place, name] = value.split(' ');
  return (place === 'header' || place === 'query') && name !== undefined ? { in: place, name } : undefined;
}

/** Returns the name of the header in a setting; undefined if it names none. */
export function headerIn(value: string): string | undefined {
  const place = placeIn(value);
  return place?.in === 'header' ? place.name : undefined;
}

/** Returns the query parameter for sorting, and whether it takes several fields; undefined without sorting. */
export function sortingIn(
  value: string,
): { readonly parameter: string; readonly several: boolean } | undefined {
  const [kind, parameter] = value.split(' ');
  return parameter === undefined ? undefined : { parameter, several: kind === 'fields' };
}
