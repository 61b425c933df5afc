export function FaultsView() {
  return <p>Faults</p>;
}
