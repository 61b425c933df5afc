/** The kit as functions. They run on Node 22.19 and later. */
export { type Learned, type LearnOptions, learnProfile } from './conformance/learn/learn.ts';
export type { Selection } from './conformance/plan/plan.ts';
export type { CaseResult, Results } from './conformance/results/results.ts';
export { type RunEvent, type RunOptions, runSuite, Unreachable } from './conformance/run.ts';
export { createTarget, type Target, type TargetOptions } from './conformance/target/target.ts';
export { type Fixtures, loadFixtures } from './fixtures/fixtures.ts';
export { type ExportOptions, exportContract } from './generator/export/export.ts';
export { type ContractDocument, type DocumentOptions, generateDocument } from './generator/generate.ts';
export { serializeDocument } from './generator/serialize.ts';
export type { FaultRule } from './mock/control/faults/fault-rule.ts';
export type { ListedFault } from './mock/control/faults/faults.ts';
export type {
  CreateOptions,
  ListOptions,
  RecordFilter,
  RecordsApi,
  Sample,
  Values,
} from './mock/control/records/records-api.ts';
export type { RecordedRequest, RequestFilter } from './mock/control/request-log/request-log-view.ts';
export type { ClockApi, SessionApi } from './mock/control/sessions/session-api.ts';
export type { State } from './mock/control/sessions/state.ts';
export type { ForwardOptions, ForwardState } from './mock/forwarding/forwarding.ts';
export { createMock, type Mock, type MockOptions } from './mock/mock.ts';
export type { RouteContext, Routes } from './mock/routes.ts';
export { type Contract, loadContract } from './spec/contract.ts';
export { UsageError } from './spec/files/usage-error.ts';
export { type ContractFacts, describeContract } from './spec/meta/meta.ts';
