import { Injectable } from '@nestjs/common';
import { addSeconds, instantToMillis, laterOf, type Instant } from '#libs/kernel/core';
import { systemClock } from '#libs/kernel/system';
import { WorkspaceClock, type ClockReading } from '#libs/kernel/workspaces';
import { EndpointStore, type Endpoint } from '../endpoint-store.js';
import { TargetPolicy } from '#libs/kernel/outbound';
import { DeliveryStore, type Delivery, type DeliveryState } from './delivery-store.js';
import { attemptDurations, deliveryAttempts, endedDeliveries } from './metrics.js';
import {
  hasRetryScheduleEnded,
  nextDeliveryAttempt,
  pauseSeconds,
  type EndpointHealth,
} from './retry-schedule.js';
import { isAcknowledged, WebhookSender, type AttemptOutcome } from './webhook-sender.js';
import { signatureHeaders } from './signature.js';

/** An endpoint is disabled if every attempt at it has failed for this number of seconds. */
const GIVE_UP_SECONDS = 5 * 86_400;

/** The result of one attempt. */
export interface AttemptFollowUp {
  /** The time of the next attempt, by the workspace's clock. Absent if no attempt follows. */
  nextAttemptAt?: Instant;
  /** True if every attempt at the endpoint has failed for so long that the endpoint should be disabled. */
  shouldDisableEndpoint?: boolean;
}

/** Makes attempts to send deliveries to their endpoints. */
@Injectable()
export class Deliverer {
  constructor(
    private readonly deliveries: DeliveryStore,
    private readonly endpoints: EndpointStore,
    private readonly targets: TargetPolicy,
    private readonly clock: WorkspaceClock,
    private readonly sender: WebhookSender,
  ) {}

  /**
   * Makes the next attempt at a delivery, if it is due. If the process crashes between the POST request and the storage of its result, the
   * attempt is repeated with the same id. Each delivery therefore happens at least once.
   *
   * @param round the `round` of the task. If the delivery has another `round`, this call attempts nothing, because another task sends the
   * delivery.
   */
  async attempt(deliveryId: string, round = 0): Promise<AttemptFollowUp> {
    const delivery = await this.deliveries.find(deliveryId);
    if (
      !delivery ||
      delivery.round !== round ||
      delivery.status !== 'pending' ||
      delivery.nextAttemptAt === null
    )
      return {};
    const at = systemClock.now();
    const reading = await this.clock.read(delivery.workspaceId);
    const now = reading.frozen ? reading.now : at;
    if (delivery.nextAttemptAt > now) return { nextAttemptAt: delivery.nextAttemptAt };
    const endpoint = await this.endpoints.find(delivery.workspaceId, delivery.webhookId, at);
    if (!endpoint || !(endpoint.webhook.enabled || delivery.isTest)) {
      await this.deliveries.abandon(delivery, `The webhook is ${endpoint ? 'disabled' : 'deleted'}`);
      endedDeliveries.inc({ outcome: 'abandoned' });
      return {};
    }
    if (isTooLate(delivery, endpoint.health, at, reading)) {
      await this.deliveries.abandon(delivery, 'No attempt reached the webhook during the time for retries');
      endedDeliveries.inc({ outcome: 'failed' });
      return { shouldDisableEndpoint: isLost(endpoint.health, at) };
    }
    const outcome = await this.post(delivery, endpoint, at);
    // A frozen clock may be far after the time of the attempt, so the schedule starts at the time when the attempt was due.
    const result = resultOf(delivery, outcome, at, reading.frozen ? delivery.nextAttemptAt : at);
    await this.deliveries.recordAttempt(delivery, at, outcome, result);
    count(outcome, result);
    const health = await this.note(delivery, result, at);
    const shouldDisableEndpoint = result.status === 'failed' && !delivery.isTest && isLost(health, at);
    return {
      ...(result.nextAttemptAt === null ? {} : { nextAttemptAt: result.nextAttemptAt }),
      shouldDisableEndpoint,
    };
  }

  private async post(
    { id, workspaceId, event, body, isTest }: Delivery,
    endpoint: Endpoint,
    at: Instant,
  ): Promise<AttemptOutcome> {
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'Service-Webhook/1.0',
      'X-Service-Event': event,
      ...(isTest ? { 'X-Service-Test': 'true' } : {}),
      ...signatureHeaders(endpoint.secrets, id, at, body),
    };
    const rules = await this.targets.rulesOf(workspaceId);
    return this.sender.send({ url: endpoint.webhook.url, headers, body }, rules);
  }

  /**
   * Records the success or failure of the attempt in the health of the endpoint. A failed test does not count as a failure of the endpoint,
   * since a new endpoint possibly does not work yet.
   */
  private async note(
    { workspaceId, webhookId, isTest }: Delivery,
    { status }: DeliveryState,
    at: Instant,
  ): Promise<EndpointHealth> {
    if (status === 'delivered') await this.endpoints.clearFailures(workspaceId, webhookId);
    else if (!isTest) return this.endpoints.recordFailure(workspaceId, webhookId, at);
    return { failures: 0, failingSince: null };
  }
}

/**
 * Tells whether a due attempt waited at a paused endpoint for longer than all attempts of a delivery take. A test is never too late, nor is
 * a delivery to an endpoint that is not paused. The wait is measured by the machine's clock `at`, as the pause is. Otherwise a sandbox's
 * clock that is moved by days during a pause of minutes would end all deliveries.
 */
function isTooLate(
  { isTest, nextAttemptAt, createdAt }: Delivery,
  health: EndpointHealth,
  at: Instant,
  { frozen }: ClockReading,
): boolean {
  if (isTest || pauseSeconds(health, at) === 0) return false;
  // The time before the due time does not count, because a receiver can put attempts off. A frozen clock does not tell that time.
  const waitsSince = frozen ? laterOf(health.failingSince!, createdAt) : nextAttemptAt!;
  return hasRetryScheduleEnded(waitsSince, at);
}

/** Tells whether every attempt at the endpoint has failed for so long that the endpoint is treated as lost. */
function isLost({ failingSince }: EndpointHealth, at: Instant): boolean {
  return failingSince !== null && addSeconds(failingSince, GIVE_UP_SECONDS) <= at;
}

function count(outcome: AttemptOutcome, { status }: DeliveryState): void {
  const answered = isAcknowledged(outcome) ? 'acknowledged' : 'refused';
  deliveryAttempts.inc({ outcome: outcome.statusCode === null ? 'unanswered' : answered });
  attemptDurations.observe(outcome.durationMillis / 1_000);
  if (status !== 'pending') endedDeliveries.inc({ outcome: status });
}

/**
 * The state of a delivery after an attempt. `at` is the time of the attempt by the machine's clock. `planned` is the instant to which the
 * delay before the next attempt is added. If the workspace's clock stands still, `planned` is the instant at which the attempt was due by
 * that clock, which can differ from `at` by years. Otherwise `planned` is equal to `at`.
 */
function resultOf(delivery: Delivery, outcome: AttemptOutcome, at: Instant, planned: Instant): DeliveryState {
  if (isAcknowledged(outcome)) return { status: 'delivered', failure: null, nextAttemptAt: null };
  const attempt = delivery.attempts - delivery.attemptsBeforeRestart + 1;
  // The delay counts from the end of the attempt. So a receiver that answers very late does not get the next attempt at once.
  const ended = addSeconds(at, outcome.durationMillis / 1_000);
  const next = delivery.isTest
    ? undefined
    : nextDeliveryAttempt(delivery.id, attempt, ended, outcome.retryAfter);
  if (next !== undefined)
    return { status: 'pending', failure: null, nextAttemptAt: addSeconds(planned, secondsBetween(at, next)) };
  return {
    status: 'failed',
    failure: delivery.isTest ? 'A test is attempted once' : `None of ${attempt} attempts was acknowledged`,
    nextAttemptAt: null,
  };
}

function secondsBetween(start: Instant, end: Instant): number {
  return (instantToMillis(end) - instantToMillis(start)) / 1_000;
}
