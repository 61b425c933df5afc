/** The same function, worked out once for each argument. Its result may not be undefined. */
export function onceFor<Key extends object, Value>(work: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const value = work(key);
    known.set(key, value);
    return value;
  };
}

/** Does the same for the content of a file. Only the kit's own file never changes while the kit runs. */
export function onceForOwn<Value>(own: string, load: (path: string) => Value): (path: string) => Value {
  const known = new Map<string, Value>();
  return (path) => {
    const value = known.get(path) ?? load(path);
    if (path === own) known.set(path, value);
    return value;
  };
}
