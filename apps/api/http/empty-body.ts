import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { InvalidRequest } from '#libs/kernel/core';

/** Refuses a body with fields, for a POST that takes no fields. Endpoints that take fields refuse unknown fields too. */
export const EmptyBody = createParamDecorator((_: unknown, host: ExecutionContext): void => {
  const { body } = host.switchToHttp().getRequest<FastifyRequest>();
  if (typeof body !== 'object' || body === null) return;
  const [field] = Object.keys(body);
  if (field !== undefined) throw InvalidRequest.field(field, 'is not a field of this request');
});
