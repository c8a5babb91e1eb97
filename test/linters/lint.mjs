// Prints what Spectral (`spectral:oas`) has to say of a contract, as a JSON array of sentences. Fails where swagger-parser does.

import { readFileSync } from 'node:fs'
import SwaggerParser from '@apidevtools/swagger-parser'
import core from '@stoplight/spectral-core'
import parsers from '@stoplight/spectral-parsers'
import rulesets from '@stoplight/spectral-rulesets'

const [, , file] = process.argv
await SwaggerParser.validate(file)
const spectral = new core.Spectral()
spectral.setRuleset({ extends: [[rulesets.oas, 'recommended']] })
const found = await spectral.run(new core.Document(readFileSync(file, 'utf8'), parsers.Yaml, file))
process.stdout.write(JSON.stringify(found.map(({ code, path, message }) => `${code}: ${path.join('.')}: ${message}`)))
