import type { Sandbox } from './sandbox.ts';

/** An endpoint that hears of everything, which is answered, and others that have come to an end. */
export async function playWebhooks({ session, receiver }: Sandbox): Promise<string> {
  const { id } = await session.post('/v1/webhooks', { url: receiver, events: ['invoice.paid'] });
  await session.patch(`/v1/webhooks/${id}`, { events: ['*'] });
  await session.patch(`/v1/webhooks/${id}`, { enabled: false });
  await session.patch(`/v1/webhooks/${id}`, { enabled: true });
  await session.post(`/v1/webhooks/${id}/secret/rotate`, { overlapSeconds: 3_600 });
  await session.delete(`/v1/webhooks/${id}/secret/previous`);
  await session.post(`/v1/webhooks/${id}/test`, { event: 'invoice.paid' });
  const { id: other } = await session.post('/v1/webhooks', { url: receiver, events: ['invoice.paid'] });
  await session.delete(`/v1/webhooks/${other}`);
  return id;
}
