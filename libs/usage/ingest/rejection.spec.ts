import { expect, it } from '@jest/globals';
import { toRejectedEvent, type EventRefusal } from './rejection.js';
import { readUsageEvent } from './usage-event.js';

it.each(['$$ref', '$&', "$'".repeat(60), '$`'.repeat(60)])(
  'the reason of a refusal names the field %s as it was sent',
  (field) => {
    const event = { [field]: 1 };
    const { reason } = toRejectedEvent(0, event, readUsageEvent(event) as EventRefusal);
    expect(reason).toBe(
      `${field}: an event has only customerId, eventName, timestamp, idempotencyKey, properties; if it is a value of the event, send it in properties`,
    );
  },
);
