import { INTERNAL, type AuditTrailRules } from '#libs/manifest';
import type { DataExportEvent, ErasureEvent } from './events.js';

export const auditTrailRules: AuditTrailRules<ErasureEvent | DataExportEvent> = {
  ErasureRequested: { action: 'customer.erasure_requested', id: 'customerId', show: ['reason', 'force'] },
  ErasureStepDone: { action: 'customer.erasure_step_done', id: 'customerId', show: ['step'] },
  PersonalDataErased: INTERNAL,
  CustomerDataExported: { action: 'customer.data_exported', id: 'customerId', show: ['format'] },
};
