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

/** Does the same for a file or a directory, by default the kit's own. Only that one never changes while the kit runs. */
export function onceForOwn<Value>(own: string, load: (path: string) => Value): (path?: string) => Value {
  let known: Value | undefined;
  return (path = own) => {
    if (path !== own) return load(path);
    known ??= load(own);
    return known;
  };
}
