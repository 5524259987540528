import type { sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js';
import { REPORTED_SERVER_VERSION } from '../wire/names.js';
import { SupportedMethod, SupportedMethods, StreamsService, type Empty } from '../wire/stubs.js';

/** The optional features that the node supports, by the name of the method. A method that is not listed has no optional feature. */
const FEATURES: Readonly<Partial<Record<string, readonly string[]>>> = {
  read: ['position', 'events'],
};

/**
 * ServerFeatures.GetSupportedMethods: lists the node's methods with their features. `batchAppend` intentionally lacks the feature
 * `deadline_duration`, because the generated messages of the node contain the deadline only as an instant.
 */
export function getSupportedMethods(
  _call: ServerUnaryCall<Empty, SupportedMethods>,
  callback: sendUnaryData<SupportedMethods>,
): void {
  const response = new SupportedMethods();
  response.setEventStoreServerVersion(REPORTED_SERVER_VERSION);
  for (const { path } of Object.values(StreamsService) as { path: string }[]) {
    const [service = '', method = ''] = path.slice(1).toLowerCase().split('/');
    const supported = new SupportedMethod();
    supported.setServiceName(service);
    supported.setMethodName(method);
    supported.setFeaturesList([...(FEATURES[method] ?? [])]);
    response.addMethods(supported);
  }
  callback(null, response);
}
