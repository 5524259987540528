import { ApiProperty } from '@nestjs/swagger';
import {
  ALL_EVENTS,
  DEFAULT_EVENTS,
  DELIVERY_STATUSES,
  exampleEvents,
  isSubscribable,
  publicEvents,
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
const KNOWN = [ALL_EVENTS, ...publicEvents()];

/** Names of events to subscribe to, each once. */
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
    'Where events are posted: an https:// URL of a public address. A sandbox may use http:// to this machine where the ' +
    'operator allows it.',
  example: 'https://hooks.example.com/billing',
};

export class CreateWebhookBody {
  @TextField(URL_FIELD)
  url: string;

  @EventsField(`What to send; \`*\` for everything. Default: ${DEFAULT_EVENTS.join(' and ')}.`)
  events?: string[];
}

/** Only the fields to change. */
export class UpdateWebhookBody {
  @TextField({ ...URL_FIELD, optional: true })
  url?: string;

  @EventsField('What to send; `*` for everything.')
  events?: string[];

  @BooleanField({ optional: true, description: 'Turns it on or off.' })
  enabled?: boolean;
}

export class RotateSecretBody {
  @IntegerField({
    min: 0,
    max: 7 * 86_400,
    optional: true,
    description:
      'For how many seconds the present secret signs too, beside the new one. Default a day; 0 ends it at once, as well as one ' +
      'that a rotation before this has left.',
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
    description: 'Most entries in the answer.',
  })
  override limit: number = 50;

  @ChoiceField(DELIVERY_STATUSES, { optional: true, description: 'Only those that are so now.' })
  status?: DeliveryStatus;

  @ChoiceField([...publicEvents(), TEST_EVENT], {
    optional: true,
    description: 'Only those of events of this name.',
    example: 'invoice.paid',
  })
  event?: string;

  @InstantField({
    query: true,
    optional: true,
    description: "The first moment that counts, by the machine's clock.",
  })
  since?: string;

  @InstantField({
    query: true,
    optional: true,
    notBefore: 'since',
    description: "The last moment that counts, by the machine's clock.",
  })
  until?: string;
}

export class TestWebhookBody {
  @ChoiceField(exampleEvents(), {
    optional: true,
    description:
      'Sends an example of this event, whether or not the webhook is told of it. Without it a `webhook.test` is sent.',
    example: 'invoice.paid',
  })
  event?: string;
}

export class ReplayBody {
  @InstantField({
    description:
      "The first moment of events that counts, by the machine's clock, as in `createdAt` of a delivery.",
    example: '2026-01-31T00:00:00Z',
  })
  since: string;

  @InstantField({ optional: true, notBefore: 'since', description: 'The last moment that counts.' })
  until?: string;

  @ChoiceField(['failed', 'delivered'], {
    optional: true,
    description: 'Which are replayed: those that failed (default), or those that were delivered.',
  })
  status: 'failed' | 'delivered' = 'failed';
}

export class ReplayView {
  @ApiProperty({ description: 'How many are sent again.', example: 17, type: 'integer' }) deliveries: number;
}

export class WebhookView {
  @ApiProperty({ example: 'wh_01JD0000000000000000000000' }) id: string;
  @ApiProperty({ example: 'https://hooks.example.com/billing' }) url: string;
  @ApiProperty({ type: [String], enum: KNOWN }) events: string[];
  @ApiProperty() enabled: boolean;
  @ApiProperty({
    enum: ['requested', 'failing'],
    nullable: true,
    description: '`failing`: nothing reached it for five days.',
  })
  disabledReason: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'When nothing has reached it for 30 seconds, what is due waits until then; after that one delivery at a time is sent, ' +
      'until one is acknowledged, a test is, or `enabled` is set to `true`. Null if it is not paused.',
  })
  pausedUntil: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Until when the secret before the present one signs too, after a rotation.',
  })
  previousSecretUntil: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
}

export class CreatedWebhookView extends WebhookView {
  @ApiProperty({
    description:
      'Signs the deliveries. Nothing shows it again but the same request with its `Idempotency-Key`, while that answer is kept: 30 days unless set otherwise.',
    example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD0aSO8aS2gTY=',
  })
  secret: string;
}

export class WebhookList extends ListView {
  @ApiProperty({ type: [WebhookView] }) data: WebhookView[];
}

export class AttemptView {
  @ApiProperty({ description: 'From 1.', type: 'integer', example: 1 }) number: number;
  @ApiProperty({ format: 'date-time', description: 'When it was sent.' }) attemptedAt: string;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Null if there was no answer.', example: 200 })
  statusCode: number | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why there was no answer; null if there was one.',
    example: null,
  })
  error: string | null;
  @ApiProperty({ type: 'integer', description: 'How long it took, in milliseconds.', example: 132 })
  durationMillis: number;
  @ApiProperty({
    type: String,
    nullable: true,
    description: "The beginning of the answer's body.",
    example: '{"received":true}',
  })
  response: string | null;
}

export class DeliveryView {
  @ApiProperty({
    description: "The body's `id`, the same at every attempt.",
    example: 'evt_01JD0000000000000000000000',
  })
  id: string;
  @ApiProperty() webhookId: string;
  @ApiProperty({ example: 'invoice.paid', description: 'The name of the event.' }) event: string;
  @ApiProperty({ enum: ['pending', 'delivered', 'failed'] }) status: DeliveryStatus;
  @ApiProperty({ type: String, nullable: true, description: 'Why it failed.', example: null }) failure:
    string | null;
  @ApiProperty({ description: 'Sent by the test endpoint, and attempted once.', example: false })
  test: boolean;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      "The next attempt by the schedule, in the workspace's time; it waits longer while the webhook is paused.",
  })
  nextAttemptAt: string | null;
  @ApiProperty({ type: [AttemptView], description: 'Every attempt, the first one first.' })
  attempts: AttemptView[];
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The body that is sent.',
    example: { id: 'evt_01JD0000000000000000000000', event: 'invoice.paid' },
  })
  payload: object;
}

export class DeliveryList extends ListView {
  @ApiProperty({ type: [DeliveryView] }) data: DeliveryView[];
}
