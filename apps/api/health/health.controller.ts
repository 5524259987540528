import { Controller, Get, HttpCode, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../http/auth/index.js';
import { Readiness } from './readiness.js';

@ApiTags('Health')
@Controller('v1/health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get()
  @Public()
  @ApiOperation({ summary: 'The process runs' })
  alive() {
    return { status: 'ok' };
  }

  @Get('ready')
  @Public()
  @HttpCode(200)
  @ApiOperation({ summary: 'Postgres, the event store and the read models answer; 503 if one does not' })
  async ready(@Res({ passthrough: true }) reply: FastifyReply) {
    const { ready, checks } = await this.readiness.check();
    if (!ready) void reply.status(503);
    return { status: ready ? 'ok' : 'unavailable', checks };
  }
}
