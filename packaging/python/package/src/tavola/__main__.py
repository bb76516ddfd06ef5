from tavola import main

main()
