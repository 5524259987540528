import { INTERNAL, type AuditRules } from '#libs/manifest';
import type { ErasureEvent } from './events.js';

export const auditRules: AuditRules<ErasureEvent> = {
  ErasureRequested: { action: 'customer.erasure_requested', id: 'customerId', show: ['reason', 'force'] },
  ErasureStepDone: { action: 'customer.erasure_step_done', id: 'customerId', show: ['step'] },
  PersonalDataErased: INTERNAL,
};
