import { EXAMPLE, type WebhookContent, type WebhookEvents } from '#libs/manifest';
import type { PriceSnapshot } from '#libs/rating';
import { subscriptionDecider } from './decider.js';
import type { SubscriptionEvent } from './events.js';
import { presentSubscription } from './present.js';

const { customerId, subscriptionId, invoiceId, periodStart, periodEnd, planId, nextPlanId, priceId, runId } =
  EXAMPLE;
const at = periodEnd;
const period = { index: 0, start: periodStart, end: periodEnd };
const plan = { planId, planVersion: 1, planName: 'Pro' };
const nextPlan = { planId: nextPlanId, planVersion: 1, planName: 'Business' };
const run = { runId, trigger: 'schedule' } as const;
const price: PriceSnapshot = {
  priceId,
  version: 1,
  name: 'Platform fee',
  cadence: 'monthly',
  timing: 'in_arrears',
  metricId: null,
  config: { model: 'flat', amount: '20', currency: 'USD' },
};
const ofSubscription = { subscriptionId, customerId };
const terms = {
  anchor: period.start,
  billingInterval: 'monthly' as const,
  items: [{ price, quantity: '1', since: period.start }],
};
const subscribed: SubscriptionEvent[] = [
  {
    type: 'SubscriptionCreated',
    data: {
      ...ofSubscription,
      ...plan,
      ...terms,
      currency: 'USD',
      timezone: 'UTC',
      anchorDay: null,
      startedAt: period.start,
      trialEnd: null,
      at: period.start,
      metadata: {},
      phase: 'active',
      period,
      bill: null,
    },
  },
];
const [{ data: agreement }] = subscribed as [Extract<SubscriptionEvent, { type: 'SubscriptionCreated' }>];
const onTrial: SubscriptionEvent[] = [
  {
    type: 'SubscriptionCreated',
    data: { ...agreement, phase: 'trialing', trialEnd: period.end, anchor: period.end },
  },
];
const paused: SubscriptionEvent[] = [
  ...subscribed,
  { type: 'SubscriptionPaused', data: { ...ofSubscription, at, resumeAt: null, bill: null, run: null } },
];

/** The webhook events of subscriptions. */
export const webhookEvents: WebhookEvents<SubscriptionEvent> = {
  names: [
    'subscription.created',
    'subscription.cancel',
    'subscription.updated',
    'subscription.plan_change',
    'subscription.paused',
    'subscription.resumed',
    'subscription.past_due',
    'subscription.trial_ending',
  ],
  messages: {
    // The event of a pending subscription is sent when it starts.
    SubscriptionCreated: (data) =>
      data.phase === 'pending' ? undefined : started({ ...data, phase: data.phase, at: data.startedAt }),
    SubscriptionStarted: started,
    SubscriptionPaused: (data) => ({
      event: 'subscription.paused',
      data: {
        id: data.subscriptionId,
        customerId: data.customerId,
        status: 'paused',
        pausedAt: data.at,
        resumesAt: data.resumeAt,
      },
    }),
    SubscriptionResumed: (data) => ({
      event: 'subscription.resumed',
      data: {
        id: data.subscriptionId,
        customerId: data.customerId,
        status: data.phase,
        resumedAt: data.at,
        currentPeriodStart: data.period.start,
        currentPeriodEnd: data.period.end,
      },
    }),
    SubscriptionAmended: (data) => {
      if (data.planId === data.from.planId && data.planVersion === data.from.planVersion) return undefined;
      return {
        event: 'subscription.plan_change',
        data: {
          id: data.subscriptionId,
          customerId: data.customerId,
          planId: data.planId,
          planVersion: data.planVersion,
          previousPlanId: data.from.planId,
          previousPlanVersion: data.from.planVersion,
          changedAt: data.at,
          currentPeriodStart: data.period.start,
          currentPeriodEnd: data.period.end,
        },
      };
    },
    SubscriptionDetailsChanged: (data) => ({
      event: 'subscription.updated',
      data: { id: data.subscriptionId, customerId: data.customerId },
    }),
    SubscriptionPaymentFailed: (data) => ({
      event: 'subscription.past_due',
      data: {
        id: data.subscriptionId,
        customerId: data.customerId,
        status: 'past_due',
        invoiceId: data.invoiceId,
      },
    }),
    SubscriptionCanceled: (data) => ({
      event: 'subscription.cancel',
      data: {
        id: data.subscriptionId,
        customerId: data.customerId,
        status: 'canceled',
        canceledAt: data.at,
        reason: data.reason,
      },
    }),
  },
  resources: [{ decider: subscriptionDecider, present: presentSubscription }],
  examples: {
    'subscription.created': subscribed,
    'subscription.cancel': [
      ...subscribed,
      {
        type: 'SubscriptionCanceled',
        data: { ...ofSubscription, at, reason: 'requested', bill: null, run: null },
      },
    ],
    'subscription.updated': [
      ...subscribed,
      {
        type: 'SubscriptionDetailsChanged',
        data: { ...ofSubscription, at, externalId: 'order-4711' },
      },
    ],
    'subscription.plan_change': [
      ...subscribed,
      {
        type: 'SubscriptionAmended',
        data: {
          ...ofSubscription,
          amendmentId: 'amd_01JD0000000000000EXAMPLE16',
          kind: 'amend',
          prorate: true,
          change: { plan: null, addPrices: [], removePrices: [], quantities: {} },
          ...nextPlan,
          ...terms,
          at,
          from: { planId: plan.planId, planVersion: plan.planVersion },
          currency: 'USD',
          period,
          bill: null,
          run: null,
        },
      },
    ],
    'subscription.paused': paused,
    'subscription.resumed': [
      ...paused,
      {
        type: 'SubscriptionResumed',
        data: {
          ...ofSubscription,
          at,
          phase: 'active',
          anchor: at,
          trialEnd: null,
          bill: null,
          run,
          period: { index: 0, start: at, end: '2026-03-01T00:00:00.000Z' },
        },
      },
    ],
    'subscription.past_due': [
      ...subscribed,
      { type: 'SubscriptionPaymentFailed', data: { ...ofSubscription, invoiceId } },
    ],
    'subscription.trial_ending': onTrial,
  },
};

function started(
  data: Omit<Extract<SubscriptionEvent, { type: 'SubscriptionStarted' }>['data'], 'bill' | 'run'>,
): WebhookContent {
  return {
    event: 'subscription.created',
    data: {
      id: data.subscriptionId,
      customerId: data.customerId,
      status: data.phase,
      planId: data.planId,
      planVersion: data.planVersion,
      currency: data.currency,
      startedAt: data.at,
      currentPeriodStart: data.period.start,
      currentPeriodEnd: data.period.end,
    },
  };
}
