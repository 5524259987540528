import type { Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog, type PersonalDataErased } from '#libs/kernel/domain';

/**
 * The steps of an erasure, in their order. `settlement`: subscriptions are ended, credits are voided, and drafts and open invoices are
 * voided or written off. `closing`: the customer is deleted. `measurements`: texts are removed from the properties of usage events. `key`:
 * the key that encrypts the personal fields of events is destroyed. `read_models`: the person's data is removed from read models. `copies`:
 * the person's data is removed from deliveries, stored answers, tasks and messages.
 */
export const ERASURE_STEPS = [
  'settlement',
  'closing',
  'measurements',
  'key',
  'read_models',
  'copies',
] as const;
export type ErasureStep = (typeof ERASURE_STEPS)[number];

export type ErasureEvent =
  /**
   * `reason` is never erased, because it documents why the data was erased. Without `force`, the API accepted the request only because the
   * customer was settled. The `settlement` step ends subscriptions and invoices that are still open, also without `force`.
   */
  | DomainEvent<'ErasureRequested', { customerId: string; at: Instant; reason: string; force: boolean }>
  | DomainEvent<'ErasureStepDone', { customerId: string; at: Instant; step: ErasureStep }>
  | PersonalDataErased;

/** The formats of an export. `zip`: an archive that contains PDFs and one file for each part of the data. */
export const EXPORT_FORMATS = ['json', 'zip'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The data of a customer was exported. The export event is recorded when the export begins, so an interrupted export is recorded too. */
export type DataExportEvent = DomainEvent<
  'CustomerDataExported',
  { customerId: string; at: Instant; format: ExportFormat }
>;

export const dataExportEvents: EventCatalog<DataExportEvent> = { CustomerDataExported: v1 };

export const erasureEvents: EventCatalog<ErasureEvent> = {
  ErasureRequested: v1,
  ErasureStepDone: v1,
  PersonalDataErased: v1,
};
