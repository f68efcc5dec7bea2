// Package familyname spells the names of families for readers. The regulator's comparators write them without accents
// and some words in an abbreviated form, such as "Deuda > 365 dias nacional inversion en uf < 3 anos". The API, the
// tables of the database and the addresses of pages keep them as they are written there.
package familyname

import "strings"

// spellings are how words of the regulator's names are spelt in Spanish. A word that is not here stays as it is, so
// that a name the program has never met is shown too.
var spellings = map[string]string{
	"america": "América", "latina": "Latina", "asia": "Asia", "brasil": "Brasil", "europa": "Europa", "japon": "Japón",
	"mexico": "México", "pacifico": "Pacífico", "eeuu": "EE.UU.", "mila": "MILA", "pais": "país", "paises": "países",
	"dias": "días", "anos": "años", "dolar": "dólar", "dolares": "dólares", "uf": "UF", "clp": "CLP",
	"inversion": "inversión", "hibrido": "híbrido", "=<5": "≤ 5", "orig.": "origen", "flex": "flexible",
}

// Spelt returns the name of a family with its accents and capital letters.
func Spelt(name string) string {
	words := strings.Fields(name)
	for i, word := range words {
		if spelling, there := spellings[word]; there {
			words[i] = spelling
		}
	}
	return strings.Join(words, " ")
}
