import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Create{{Name}}Handler } from './commands/create-{{file}}.js';

@Module({ imports: [CqrsModule], providers: [Create{{Name}}Handler] })
export class {{Names}}Module {}
