import { ApiProperty } from '@nestjs/swagger';
import {
  ALL_EVENTS,
  DEFAULT_EVENTS,
  DELIVERY_STATUSES,
  exampleEventNames,
  isSubscribable,
  publicEventNames,
  TEST_EVENT,
  type DeliveryStatus,
} from '#libs/outputs/webhooks';
import {
  BooleanField,
  ChoiceField,
  InstantField,
  IntegerField,
  ListView,
  PageQuery,
  RuleField,
  TextField,
} from '../http/index.js';

const MAX_EVENTS = 100;
const KNOWN = [ALL_EVENTS, ...publicEventNames()];

/** A field with the names of events to subscribe to. A name that is listed twice counts once. */
function EventsField(description: string): PropertyDecorator {
  return RuleField(
    'areEvents',
    { type: String, isArray: true, enum: KNOWN, minItems: 1, uniqueItems: true },
    (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.length <= MAX_EVENTS &&
      value.every((name) => typeof name === 'string' && isSubscribable(name)),
    {
      optional: true,
      description,
      example: DEFAULT_EVENTS,
      message: `must be a list of at least one of ${KNOWN.join(', ')}`,
    },
  );
}

const URL_FIELD = {
  max: 2_048,
  description:
    'The https:// URL to which events are posted. The URL must have a public address. ' +
    'A sandbox may use an http:// URL of this machine if the operator allows it.',
  example: 'https://hooks.example.com/billing',
};

export class CreateWebhookBody {
  @TextField(URL_FIELD)
  url: string;

  @EventsField(`The names of the events to send, or \`*\` for all. Default: ${DEFAULT_EVENTS.join(' and ')}.`)
  events?: string[];
}

/** The fields to change. A field that is left out stays as it is. */
export class UpdateWebhookBody {
  @TextField({ ...URL_FIELD, optional: true })
  url?: string;

  @EventsField('The names of the events to send, or `*` for all.')
  events?: string[];

  @BooleanField({ optional: true, description: 'Whether the webhook is turned on.' })
  enabled?: boolean;
}

export class RotateSecretBody {
  @IntegerField({
    min: 0,
    max: 7 * 86_400,
    optional: true,
    description:
      'The number of seconds for which the present secret still signs deliveries, together with the new secret. Default: one day. With 0, only the new secret signs from now on.',
    example: 86_400,
  })
  overlapSeconds: number = 86_400;
}

export class DeliveriesQuery extends PageQuery {
  @IntegerField({
    min: 1,
    max: 1_000,
    query: true,
    optional: true,
    description: 'The largest number of entries in the response.',
  })
  override limit: number = 50;

  @ChoiceField(DELIVERY_STATUSES, {
    optional: true,
    description: 'Selects the deliveries that now have this status.',
  })
  status?: DeliveryStatus;

  @ChoiceField([...publicEventNames(), TEST_EVENT], {
    optional: true,
    description: 'Selects deliveries of events with this name.',
    example: 'invoice.paid',
  })
  event?: string;

  @InstantField({
    query: true,
    optional: true,
    description: 'Selects the deliveries that were created at this time or later, by the system clock.',
  })
  since?: string;

  @InstantField({
    query: true,
    optional: true,
    notBefore: 'since',
    description: 'Selects the deliveries that were created at this time or earlier, by the system clock.',
  })
  until?: string;
}

export class TestWebhookBody {
  @ChoiceField(exampleEventNames(), {
    optional: true,
    description:
      'The name of the event to send an example of, even if the webhook does not subscribe to this event. Default: `webhook.test`.',
    example: 'invoice.paid',
  })
  event?: string;
}

export class ReplayBody {
  @InstantField({
    description:
      'Only deliveries that were created at this time or later are sent again. The time is by the system clock, as is the `createdAt` of a delivery.',
    example: '2026-01-31T00:00:00Z',
  })
  since: string;

  @InstantField({
    optional: true,
    notBefore: 'since',
    description:
      'Only deliveries that were created at this time or earlier are sent again. By default, the time range has no end.',
  })
  until?: string;

  @ChoiceField(['failed', 'delivered'], {
    optional: true,
    description:
      'Which deliveries are sent again: those that failed (default), or those that were delivered.',
  })
  status: 'failed' | 'delivered' = 'failed';
}

export class ReplayView {
  @ApiProperty({ description: 'The number of deliveries that are sent again.', example: 17, type: 'integer' })
  deliveries: number;
}

export class WebhookView {
  @ApiProperty({ example: 'wh_01JD0000000000000000000000' }) id: string;
  @ApiProperty({ example: 'https://hooks.example.com/billing' }) url: string;
  @ApiProperty({ type: [String], enum: KNOWN }) events: string[];
  @ApiProperty() enabled: boolean;
  @ApiProperty({
    enum: ['requested', 'failing'],
    nullable: true,
    description:
      'Why the webhook is turned off. `requested`: by a request. `failing`: because every attempt failed for five days, and then a ' +
      'delivery failed for good. Null if the webhook is turned on.',
  })
  disabledReason: 'requested' | 'failing' | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'The end of the present pause. A webhook is paused when at least five attempts have failed over at least 30 seconds, and ' +
      'none has succeeded since the first failure. Deliveries that become due during the pause wait. ' +
      'After the pause, one delivery at a time is sent, and `pausedUntil` is in the past. Normal sending resumes when a delivery or a ' +
      'test is acknowledged, or `enabled` is set to `true`. Null if no pause has begun since then.',
  })
  pausedUntil: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'The time until which the previous secret still signs deliveries after a rotation. Null if only the present secret signs deliveries.',
  })
  previousSecretUntil: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
}

export class CreatedWebhookView extends WebhookView {
  @ApiProperty({
    description:
      'The secret that signs the deliveries. Only a repetition of the request with the same idempotency key shows the secret again, for ' +
      '30 days unless the operator sets `IDEMPOTENCY_RETENTION_DAYS`.',
    example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD0aSO8aS2gTY=',
  })
  secret: string;
}

export class WebhookList extends ListView {
  @ApiProperty({ type: [WebhookView] }) data: WebhookView[];
}

export class AttemptView {
  @ApiProperty({ description: 'The number of the attempt, from 1.', type: 'integer', example: 1 })
  number: number;
  @ApiProperty({ format: 'date-time', description: 'The time of sending.' }) attemptedAt: string;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The status code of the response. Null if there was none.',
    example: 200,
  })
  statusCode: number | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The reason why there was no response, or why the response, a redirect, was not followed. Null after any other response.',
    example: null,
  })
  error: string | null;
  @ApiProperty({
    type: 'integer',
    description: 'The duration of the attempt, in milliseconds.',
    example: 132,
  })
  durationMillis: number;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The beginning of the response body. Null if there was none, or if the erasure of a customer removed it.',
    example: '{"received":true}',
  })
  response: string | null;
}

export class DeliveryView {
  @ApiProperty({
    description: 'The `id` in the body of the delivery, which is the same at every attempt.',
    example: 'evt_01JD0000000000000000000000',
  })
  id: string;
  @ApiProperty() webhookId: string;
  @ApiProperty({ example: 'invoice.paid', description: 'The name of the event.' }) event: string;
  @ApiProperty({ enum: ['pending', 'delivered', 'failed'] }) status: DeliveryStatus;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The reason why the delivery failed. Null if the delivery did not fail.',
    example: null,
  })
  failure: string | null;
  @ApiProperty({
    description:
      'Whether a request to `POST /v1/webhooks/{id}/test` sent the delivery. Such a delivery is attempted once.',
    example: false,
  })
  test: boolean;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'The scheduled time of the next attempt, by the clock of the workspace. The attempt waits longer while the webhook is paused. Null ' +
      'if no attempt follows.',
  })
  nextAttemptAt: string | null;
  @ApiProperty({ type: [AttemptView], description: 'All attempts, oldest first.' })
  attempts: AttemptView[];
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The body of the delivery.',
    example: { id: 'evt_01JD0000000000000000000000', event: 'invoice.paid' },
  })
  payload: Record<string, unknown>;
}

export class DeliveryList extends ListView {
  @ApiProperty({ type: [DeliveryView] }) data: DeliveryView[];
}
