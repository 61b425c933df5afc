import type { TargetResponse } from '../../conformance/target/exchange.ts';
import type { Target, TargetRequest } from '../../conformance/target/target.ts';

type Wrap = (target: Target) => Target;
type Awaitable<Value> = Value | Promise<Value>;

/** Does something before each request to a target. */
export function before(act: (request: TargetRequest) => unknown): Wrap {
  return (target) => ({
    ...target,
    send: async (request, record) => {
      await act(request);
      return target.send(request, record);
    },
  });
}

/** Does something after each response of a target. */
export function after(act: (request: TargetRequest, answer: TargetResponse) => unknown): Wrap {
  return changing(async (answer, request) => {
    await act(request, answer);
    return {};
  });
}

/** Changes responses of a target. */
export function changing(
  change: (answer: TargetResponse, request: TargetRequest) => Awaitable<Partial<TargetResponse>>,
): Wrap {
  return (target) => ({
    ...target,
    send: async (request, record) => {
      const answer = await target.send(request, record);
      return { ...answer, ...(await change(answer, request)) };
    },
  });
}
