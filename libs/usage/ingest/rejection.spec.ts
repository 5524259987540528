import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REJECTION_CODES, toRejectedEvent, type EventRefusal } from './rejection.js';
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

it('a rejection has the code, text and details of an error', () => {
  const { code, error, details, reason, field } = toRejectedEvent(2, {}, readUsageEvent({}) as EventRefusal);
  expect({ code, error, details }).toEqual({
    code: 'missing_field',
    error: 'customerId is required',
    details: [{ field: 'customerId', message: 'customerId is required' }],
  });
  expect([reason, field]).toEqual([error, 'customerId']);
  const whole = toRejectedEvent(0, 1, readUsageEvent(1) as EventRefusal);
  expect(whole).toMatchObject({ code: 'not_an_object', error: whole.reason });
  expect(whole).not.toHaveProperty('details');
});

it('the docs list the codes of rejections', () => {
  const docs = readFileSync(join(import.meta.dirname, '../../../docs/usage.md'), 'utf8');
  const [section] = docs.split('## Rejected events').at(1)!.split('\n## ');
  expect([...section!.matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code)).toEqual([...REJECTION_CODES]);
});
