export function RecordsView() {
  return <p>Records</p>;
}
