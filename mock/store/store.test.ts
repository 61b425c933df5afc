import { describeStore } from '../../testing/store-behaviour.ts';
import { createMemoryStore } from './memory.ts';

describeStore('in memory', { lasts: false }, async () => ({
  open: async (indexed) => createMemoryStore(indexed),
  remove: async () => {},
}));
