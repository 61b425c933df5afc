export function SessionsView() {
  return <p>Sessions</p>;
}
