import { EXAMPLE, type WebhookContent, type WebhookEvents } from '#libs/manifest';
import { debtDecider } from './debt.js';
import type { DunningEvent } from './events.js';
import { DEFAULT_POLICY_ID, DEFAULT_DUNNING_POLICY } from './policies/dunning-policies.js';
import type { DunningPolicyEvent } from './policies/events.js';
import { presentDunningProcess } from './present.js';

const { customerId, invoiceId } = EXAMPLE;
const processId = 'dun_01JD0000000000000EXAMPLE27';
const about = { processId, customerId, currency: 'USD' };
const { name: policyName, steps } = DEFAULT_DUNNING_POLICY;
const started: DunningEvent[] = [
  {
    type: 'DunningStarted',
    data: {
      ...about,
      at: '2026-03-03T01:00:00.000Z',
      policyId: DEFAULT_POLICY_ID,
      policyName,
      steps,
      invoiceIds: [invoiceId],
      nextStepAt: '2026-03-06T00:00:00.000Z',
    },
  },
];
const reminded: DunningEvent[] = [
  ...started,
  {
    type: 'DunningStepTaken',
    data: {
      ...about,
      at: '2026-03-06T00:00:00.000Z',
      step: 1,
      channel: 'email',
      template: 'friendly_reminder',
      subscription: 'none',
      mailId: 'mail_01JD0000000000000EXAMPLE28',
      invoiceIds: [invoiceId],
      amount: '23.75',
      nextStepAt: '2026-03-10T00:00:00.000Z',
    },
  },
];
const at = '2026-03-08T00:00:00.000Z';

/** The webhook events about dunning. Each message shows the process. */
export const webhookEvents: WebhookEvents<DunningEvent | DunningPolicyEvent> = {
  names: ['dunning.started', 'dunning.step_taken', 'dunning.ended'],
  messages: {
    DunningStarted: dunningContent('dunning.started'),
    DunningStepTaken: ({ processId: id, step }) => ({ event: 'dunning.step_taken', data: { id, step } }),
    DunningEnded: dunningContent('dunning.ended'),
  },
  resources: [{ decider: debtDecider, present: presentDunningProcess }],
  examples: {
    'dunning.started': started,
    'dunning.step_taken': reminded,
    'dunning.ended': [
      ...reminded,
      { type: 'DunningInvoiceSettled', data: { ...about, at, invoiceId, reason: 'paid' } },
      { type: 'DunningEnded', data: { ...about, at, reason: 'settled' } },
    ],
  },
};

/** Returns a function that makes the content of a webhook event. The API form of the dunning process is added when the event is sent. */
function dunningContent(event: string): (data: { processId: string }) => WebhookContent {
  return ({ processId: id }) => ({ event, data: { id } });
}
