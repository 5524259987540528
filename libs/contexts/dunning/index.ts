export {
  debtDecider,
  debtId,
  DUNNING_STATUSES,
  type OverdueDebt,
  type DunningStatus,
  type TakenDunningStep,
} from './debt.js';
export { DunningModule } from './dunning.module.js';
export { DunningRecordReader } from './dunning-record-reader.js';
export type { DunningEvent, InvoiceInDunning } from './events.js';
export { ChangeDunningPolicy } from './policies/change-dunning-policy.js';
export { CurrentDunningPolicy } from './policies/current-dunning-policy.js';
export { DEFAULT_POLICY_ID, type DunningPolicyWithUpdateTime } from './policies/dunning-policies.js';
export {
  DUNNING_CHANNELS,
  DUNNING_TEMPLATES,
  type DunningChannel,
  type DunningPolicy,
  type DunningStep,
  type DunningTemplate,
} from './policies/events.js';
export { presentDunningPolicy, presentDunningProcess } from './present.js';
