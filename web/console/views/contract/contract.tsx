export function ContractView() {
  return <p>Contract</p>;
}
