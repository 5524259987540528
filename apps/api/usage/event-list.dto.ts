import {
  BooleanField,
  FormerName,
  IdField,
  PageQuery,
  SinceField,
  TextField,
  UntilField,
} from '../http/index.js';

/** Describes a name that the API contract has for a parameter. */
const inContract = (name: string, example: string) => ({
  type: String,
  example,
  description: `In place of \`${name}\`.`,
});

export class EventListQuery extends PageQuery {
  @IdField({ optional: true, description: 'Selects events of this customer.' })
  @FormerName('customer_id', { documented: inContract('customerId', 'northwind') })
  customerId?: string;

  @TextField({ optional: true, max: 255, description: 'Selects events of this name.' })
  @FormerName('event_name', { documented: inContract('eventName', 'api_call') })
  eventName?: string;

  @SinceField({
    formerly: 'start_time',
    inContract: true,
    description:
      'Selects events at this time or later. Default: 30 days before the end of the time range, or before now.',
  })
  since?: string;

  @UntilField({
    formerly: 'end_time',
    inContract: true,
    description: "Selects events at this time or earlier. Default: now, by the workspace's clock.",
  })
  until?: string;

  @BooleanField({
    query: true,
    optional: true,
    example: true,
    description:
      'Selects events that no metric counts, or that a metric skips because they have no usable value. The present metrics decide: if a ' +
      'metric that was made later counts an event, the event is no longer listed. The search may have to read all events of the range. ' +
      'If the search takes too long, the error `400 query_too_slow` asks for a smaller range. False or absent: all events.',
  })
  unmatched?: boolean;

  @BooleanField({
    query: true,
    optional: true,
    example: true,
    description:
      'Selects events that metrics count, and that no price of a subscription of their customer and no credits charge. The present metrics ' +
      'and the subscriptions that have not ended decide. With `unmatched=true`, the list has the events of both kinds. The search may have ' +
      'to read all events of the range. If the search takes too long, the error `400 query_too_slow` asks for a smaller range. False or ' +
      'absent: all events.',
  })
  unpriced?: boolean;
}
