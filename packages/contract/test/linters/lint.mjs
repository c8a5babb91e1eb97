// Prints a JSON array with the findings of Spectral (`spectral:oas`) for each contract, or the error of
// swagger-parser.

import { readFileSync } from 'node:fs'
import SwaggerParser from '@apidevtools/swagger-parser'
import core from '@stoplight/spectral-core'
import parsers from '@stoplight/spectral-parsers'
import rulesets from '@stoplight/spectral-rulesets'

const spectral = new core.Spectral()
spectral.setRuleset({ extends: [[rulesets.oas, 'recommended']] })

async function lint(file) {
  try {
    await SwaggerParser.validate(file)
  } catch (error) {
    return [`swagger-parser: ${error.message}`]
  }
  const found = await spectral.run(new core.Document(readFileSync(file, 'utf8'), parsers.Yaml, file))
  return found.map(({ code, path, message }) => `${code}: ${path.join('.')}: ${message}`)
}

const all = []
for (const file of process.argv.slice(2)) all.push(await lint(file))
process.stdout.write(JSON.stringify(all))
