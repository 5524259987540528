import type { TaskRequest } from '#libs/kernel/saga';

/** One delivery to be brought to its endpoint, in as many attempts as it takes. */
export interface Deliver {
  deliveryId: string;
  webhookId: string;
  /** Of the delivery's rounds the one that the task is for; the first if it is absent. */
  round?: number;
}

/**
 * The task that brings a delivery: due at once, in the endpoint's queue.
 *
 * @param isTest somebody waits for what becomes of a test, also where everything else is held, so it is in no queue
 */
export function deliverTask(payload: Deliver, isTest = false): TaskRequest<{ deliver: Deliver }> {
  const { deliveryId, webhookId, round } = payload;
  return {
    name: 'deliver',
    key: round === undefined ? deliveryId : `${deliveryId} ${round}`,
    payload,
    clock: 'system',
    ...(isTest ? {} : { queue: webhookId }),
  };
}
