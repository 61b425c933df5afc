import type { Replicas } from '../store/store.ts';
import type { JournalFilter } from './journal/journal-filter.ts';
import type { JournalReader } from './journal/reader.ts';
import type { Sessions } from './sessions/sessions.ts';

type Question = {
  readonly kind: 'conditions' | 'drop' | 'clear' | 'count' | 'find';
  readonly session: string;
  readonly filter?: JournalFilter;
  readonly limit?: number;
};

/** Answers what other replicas ask and tell this one. */
export function answerReplicas(replicas: Replicas, sessions: Sessions, reader: JournalReader): void {
  replicas.answer(
    async (asked) => {
      const { filter = {}, kind, limit, session: name } = asked as Question;
      if (kind === 'drop') return sessions.letGo(name);
      const session = await sessions.held(name);
      if (!session) return kind === 'find' ? [] : 0;
      switch (kind) {
        case 'conditions':
          return session.conditions.refresh();
        case 'clear':
          return session.journal.clear();
        case 'count':
          return reader.own.count(session, { filter });
        case 'find':
          return reader.own.find(session, { filter, limit });
      }
    },
    () => sessions.letGo(),
  );
}
