/** One difference of two documents. */
export type Change = {
  /** What is different: an operation, a part of it, or a field of a schema. */
  readonly place: string;
  /** In words. */
  readonly what: string;
  /** Whether a client that kept to the old document can fail under the new one. */
  readonly breaking: boolean;
};

/** Notes a difference; the same one counts once. */
export type Note = (place: string, what: string, breaking: boolean) => void;
