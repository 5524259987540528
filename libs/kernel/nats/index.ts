export { NatsClient, natsCheck } from './nats-client.js';
export { NatsModule } from './nats.module.js';
export { managerOf, streamFor, type NewStream } from './streams.js';
