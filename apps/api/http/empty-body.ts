import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { InvalidRequest } from '#libs/kernel/core';

/** For a POST that takes no fields: a body with fields is refused, as unknown fields are everywhere. */
export const EmptyBody = createParamDecorator((_: unknown, host: ExecutionContext): void => {
  const { body } = host.switchToHttp().getRequest<FastifyRequest>();
  if (typeof body !== 'object' || body === null) return;
  const [field] = Object.keys(body);
  if (field !== undefined) throw InvalidRequest.field(field, 'is not a field of this request');
});
