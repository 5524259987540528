import { exampleEventNames, exampleDataOf, TEST_EVENT } from '#libs/outputs/webhooks';
import {
  apiFolders,
  registerWebhookOperation,
  fieldSchemas,
  objectSchema,
  type Operation,
  type Schema,
} from '../http/index.js';

const { text, instant } = fieldSchemas;

const TEST_EXAMPLE = {
  id: 'wh_01JD0000000000000000000000',
  message: 'This is a test. The endpoint works if it answers with 2xx.',
};
/** The `data` of the event that `POST /v1/webhooks/{id}/test` sends. */
const TEST = {
  id: text('The id of the webhook.', TEST_EXAMPLE.id),
  message: text('A text for people.', TEST_EXAMPLE.message),
};

/** Adds every webhook event to the OpenAPI document, with its schema and an example. */
export function registerWebhookOperations(): void {
  for (const event of exampleEventNames())
    // The example has plain numbers, since the document is also written as YAML.
    registerWebhookOperation(
      event,
      operationOf(event, dataOf(event), JSON.parse(JSON.stringify(exampleDataOf(event))) as object),
    );
  registerWebhookOperation(
    TEST_EVENT,
    operationOf(TEST_EVENT, objectSchema(TEST, 'The webhook that is tested.'), TEST_EXAMPLE),
  );
}

function operationOf(event: string, data: Schema, example: object): Operation {
  const envelope = {
    id: 'evt_01JD0000000000000000000000',
    event,
    timestamp: '2026-02-01T00:00:00.000Z',
    data: example,
  };
  const schema = objectSchema({
    id: text(
      'The id of the event for this webhook. The id is the same in every attempt, so process each id once. Another webhook gets the ' +
        'event under another id.',
      envelope.id,
    ),
    event: { type: 'string', const: event, description: 'The name of the event.', example: event },
    timestamp: instant("The time of the event, by the workspace's clock."),
    data,
  });
  return {
    operationId: event,
    summary: `Sent as ${event}`,
    tags: ['Webhooks'],
    security: [],
    requestBody: { required: true, content: { 'application/json': { schema, example: envelope } } },
    responses: {
      '2XX': {
        description:
          'The event was received. After a response that is not 2xx, or none within 8 s, the event is sent again, at most ' +
          'seven times. A test is not sent again.',
      },
    },
  };
}

/** @throws Error if no folder of the API describes the `data` of this event */
function dataOf(event: string): Schema {
  const schemas = apiFolders().flatMap(({ webhooks = [] }) => webhooks);
  const description =
    'The resource, as it was directly after the change that caused the event, or the fields of the event itself.';
  const own = schemas.find((one) => one.wholeData[event])?.wholeData[event];
  if (own) return { ...own, description };
  const kind = event.split('.')[0]!;
  const view = schemas.find(({ resources }) => resources[kind])?.resources[kind];
  if (!view)
    throw new Error(
      `No folder of apps/api describes the webhook ${event}; add it to the webhook-schemas.ts of its folder`,
    );
  const resource = { $ref: `#/components/schemas/${view.name}` };
  const beside = schemas.find((one) => one.additionalFields[event])?.additionalFields[event];
  return beside ? { description, allOf: [resource, objectSchema(beside)] } : { ...resource, description };
}
