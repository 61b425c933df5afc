export function isPostgres(place: string): boolean {
  return /^postgres(ql)?:/i.test(place);
}

/** Returns the place without the password of a database, which can be before the host or in the query. */
export function showPlace(place: string): string {
  if (!isPostgres(place)) return place;
  if (!URL.canParse(place)) return 'the database';
  const url = new URL(place);
  url.password = '';
  url.search = '';
  return url.href;
}
