import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** A dialog that asks for the token of `--control-token`. The page keeps it in memory only. */
export function TokenDialog({
  reason,
  onDone,
}: {
  reason: string;
  onDone: (token: string | undefined) => void;
}) {
  const own = useRef<HTMLDialogElement>(null);
  const [token, setToken] = useState('');
  useLayoutEffect(() => {
    own.current?.showModal();
  }, []);
  return (
    <dialog ref={own} aria-label="Control token" onClose={() => onDone(undefined)}>
      <h2>Control token</h2>
      <p>{reason}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onDone(token);
        }}
      >
        <p class="form-row">
          <label for="token">Token of --control-token</label>
          <input
            id="token"
            type="password"
            autocomplete="off"
            required
            value={token}
            onInput={({ currentTarget }) => setToken(currentTarget.value)}
          />
        </p>
        <p class="tools end">
          <button type="submit" class="primary">
            Use this token
          </button>
          <button type="button" class="plain" onClick={() => own.current?.close()}>
            Cancel
          </button>
        </p>
      </form>
    </dialog>
  );
}
