import { Controller, Get, HttpCode, Res } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  ApiServiceUnavailableResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../http/auth/index.js';
import { RETRY_AFTER_SECONDS } from '../http/index.js';
import { ReadinessCheck } from './readiness-check.js';

class HealthView {
  @ApiProperty({ enum: ['ok'], description: 'Always `ok`: the process runs.' }) status: 'ok';
}

const CHECK = { enum: ['ok', 'unavailable'], example: 'ok' };

class CheckView {
  @ApiProperty({ ...CHECK, description: 'Whether this service answers.' }) status: string;
  @ApiPropertyOptional({
    example: 'not reachable',
    description: 'The problem of this service. Absent if it answers.',
  })
  message?: string;
}

class ReadinessView {
  @ApiProperty({ ...CHECK, description: 'Whether the process can serve requests.' }) status: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: getSchemaPath(CheckView) },
    description:
      'The result of checking each service that the process needs, by name. `storage` says whether Postgres can write to its disk. ' +
      '`documents` says whether PDFs can be printed. `documents`, and ' +
      '`nats` if NATS is configured, do not change `status`. While the process is shutting down, the only entry is `process`.',
    example: {
      postgres: { status: 'ok' },
      storage: { status: 'ok' },
      eventStore: { status: 'ok' },
      readModels: { status: 'ok' },
      documents: { status: 'ok' },
    },
  })
  checks: Record<string, CheckView>;
}

@ApiTags('Health')
@Controller('v1/health')
export class HealthController {
  constructor(private readonly readiness: ReadinessCheck) {}

  @Get()
  @Public()
  @ApiOperation({
    summary: 'Check that the process runs',
    description:
      'No credential is needed. Other services are not asked, so the check suits the liveness of a process.',
  })
  @ApiOkResponse({ type: HealthView })
  alive(): HealthView {
    return { status: 'ok' };
  }

  @Get('ready')
  @Public()
  @HttpCode(200)
  @ApiOperation({
    summary:
      'Check that Postgres and the event store answer and that the read models are up to date; returns 503 if one of them fails',
    description: 'No credential is needed. The response has the state of each service.',
  })
  @ApiExtraModels(CheckView)
  @ApiOkResponse({ type: ReadinessView })
  @ApiServiceUnavailableResponse({
    description:
      'A service that the process needs does not answer, the read models are behind the event store, or the process is shutting down.',
    type: ReadinessView,
  })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<ReadinessView> {
    const { ready, checks } = await this.readiness.check();
    if (!ready) void reply.status(503).header('Retry-After', RETRY_AFTER_SECONDS);
    return { status: ready ? 'ok' : 'unavailable', checks };
  }
}
