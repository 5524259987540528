import type { UnpaidSubscriptionAction } from '#libs/contexts/invoicing';
import type { DecimalString, Instant } from '#libs/kernel/core';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';
import type { DunningStep, DunningTemplate } from './policies/events.js';

/**
 * The reasons why an invoice is removed from a customer's overdue debt. `retrying`: a retry of the invoice's payment is planned, so the
 * customer gets mail about the failed payment instead of dunning mail.
 */
export const DEBT_REMOVAL_REASONS = ['paid', 'void', 'uncollectible', 'retrying'] as const;
export type DebtRemovalReason = (typeof DEBT_REMOVAL_REASONS)[number];

/**
 * Why a process ended. `settled`: no invoice was overdue any more. `completed`: the last dunning step was taken. `policy_disabled`: the
 * policy was disabled when the next step was due.
 */
export const DUNNING_END_REASONS = ['settled', 'completed', 'policy_disabled'] as const;
export type DunningEndReason = (typeof DUNNING_END_REASONS)[number];

/** The debt and the process that an event is about. */
interface DebtReference {
  processId: string;
  customerId: string;
  currency: string;
  at: Instant;
}

export type DunningEvent =
  /**
   * A dunning process keeps the steps of its policy, so a later change of the steps does not affect the process. If the policy is disabled,
   * the process ends instead of taking its next step.
   */
  | DomainEvent<
      'DunningStarted',
      DebtReference & {
        policyId: string;
        policyName: string;
        steps: readonly DunningStep[];
        /** All overdue invoices of the debt. */
        invoiceIds: readonly string[];
        nextStepAt: Instant;
      }
    >
  | DomainEvent<'DunningInvoiceAdded', DebtReference & { invoiceId: string }>
  /** The invoice is no longer part of the debt. This event can also come after the end of the dunning process. */
  | DomainEvent<'DunningInvoiceSettled', DebtReference & { invoiceId: string; reason: DebtRemovalReason }>
  /**
   * `step` counts from 1. `amount` is the total amount due of the invoices at the time of the step. `nextStepAt` is null if the step is the
   * last one.
   */
  | DomainEvent<
      'DunningStepTaken',
      DebtReference & {
        step: number;
        channel: 'email';
        template: DunningTemplate;
        subscription: UnpaidSubscriptionAction;
        mailId: string;
        invoiceIds: readonly string[];
        amount: DecimalString;
        nextStepAt: Instant | null;
      }
    >
  | DomainEvent<'DunningEnded', DebtReference & { reason: DunningEndReason }>;

export const dunningEvents: EventCatalog<DunningEvent> = {
  DunningStarted: v1,
  DunningInvoiceAdded: v1,
  DunningInvoiceSettled: v1,
  DunningStepTaken: v1,
  DunningEnded: v1,
};
