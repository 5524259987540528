export {
  debtDecider,
  debtId,
  DUNNING_STATUSES,
  type Debt,
  type DunningStatus,
  type TakenStep,
} from './debt.js';
export { DunningModule } from './dunning.module.js';
export { DunningRecords } from './dunning-records.js';
export type { DunningEvent } from './events.js';
export { ChangeDunningPolicy } from './policies/change-dunning-policy.js';
export { CurrentDunningPolicy } from './policies/current-dunning-policy.js';
export { DEFAULT_POLICY_ID, type PolicyWithLastChange } from './policies/dunning-policies.js';
export {
  DUNNING_CHANNELS,
  DUNNING_TEMPLATES,
  type DunningChannel,
  type DunningPolicy,
  type DunningStep,
  type DunningTemplate,
} from './policies/events.js';
export { presentDunningPolicy, presentDunningProcess } from './present.js';
