import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { {{Name}} } from '#libs/contexts/{{folder}}';
import { SnapshotQueries } from '#libs/kernel/projection';
import { {{Name}}Row } from './{{file}}-row.js';

@Injectable()
export class {{Name}}Queries extends SnapshotQueries<{{Name}}Row, {{Name}}> {
  constructor(@InjectRepository({{Name}}Row) rows: Repository<{{Name}}Row>) {
    super(rows, { resource: '{{words}}', shownOf: ({ state }) => state });
  }
}
